/** Keyboard shortcuts. */
export const keys = {
  pages: 'Pages',
  actions: 'Actions',
  search: 'Search values',
  compare: 'Compare, or not',
  clear: 'Remove all filters',
  searchLabel: 'Search pages, sources, campaigns, countries and events',
  noMatch: 'Nothing has this in its name',
}
