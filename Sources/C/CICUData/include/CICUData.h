// Only linked: there is nothing to call.
