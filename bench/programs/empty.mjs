/** An empty module, with which the import of other modules is compared. */
export {}
