"""The window: Qt, no torch, no triton; holds the document and draws."""
