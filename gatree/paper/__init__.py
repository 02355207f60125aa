"""The 2010 paper: its published numbers, Tables 3-12, errata, theory and worked example."""
