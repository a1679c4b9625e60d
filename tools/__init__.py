"""Training of the models that the package ships, and an audit of what it depends on."""
