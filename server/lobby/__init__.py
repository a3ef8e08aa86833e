"""The lobby: present players, open seeks and challenges, and the pages and updates of its watchers. Pure."""
