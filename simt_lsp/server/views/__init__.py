"""One analysed document as one client sees it: positions, findings, and what runs said."""
