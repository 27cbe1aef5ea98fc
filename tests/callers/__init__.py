"""Functions of headers, judged by their callers in other files and refereed by runs of these."""
