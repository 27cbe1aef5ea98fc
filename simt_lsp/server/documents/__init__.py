"""The texts: open documents, the folders of the workspace, URIs."""
