"""The code editor: text, highlighting, marks, completion, find and replace."""
