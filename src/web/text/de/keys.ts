import type { Dictionary } from '../languages/en.ts'

export const keys: Dictionary['keys'] = {
  pages: 'Seiten',
  actions: 'Aktionen',
  search: 'Werte suchen',
  compare: 'Vergleichen oder nicht',
  clear: 'Alle Filter entfernen',
  searchLabel: 'Seiten, Quellen, Kampagnen, Länder und Ereignisse suchen',
  noMatch: 'Nichts hat das im Namen',
}
