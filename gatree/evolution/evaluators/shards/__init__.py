"""One evolution over many shards of its instances, in processes here or on the workers of a Dask cluster."""
