"""What is found on a data set, as text, as JSON and as a page."""
