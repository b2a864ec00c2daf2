"""Quality of the searches on queries of seven kinds."""
