"""One evolution over many shards of its instances, in local processes or on the workers of a Dask cluster."""
