"""The control-flow picture of one function: what it shows (`model`), how it is found (`build`), how it is drawn."""
