"""The only place that touches triton's private parts; differences of 3.6 and 3.9 stay in here."""
