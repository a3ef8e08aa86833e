"""What waits: the task of each match, the registries, and the services that own the pure states."""
