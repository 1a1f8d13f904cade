/** A module with nothing in it, to compare the import of others with. */
export {}
