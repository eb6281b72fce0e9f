/// <reference lib="dom" />

/** The types of the DOM, for functions that tests run in the pages of a browser. */
