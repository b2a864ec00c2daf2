"""Scripts that run inside the environments of other servers, without moviegraph."""
