import type { Dictionary } from '../languages/en.ts'
import { counted } from '../plural.ts'

export const journeys: Dictionary['journeys'] = {
  title: 'Wege',
  directions: { from: 'Von', to: 'Zu' },
  direction: 'Richtung',
  by: { path: 'Seite', title: 'Titel', event_name: 'Ereignis' },
  what: 'Was verfolgt wird',
  choose: 'Wert wählen',
  search: 'Suchen',
  noValues: 'Kein solcher Wert in diesem Zeitraum',
  steps: 'Schritte',
  stepCount: shown => counted(shown, 'Schritt', 'Schritte'),
  branches: 'Zweige',
  branchCount: shown => counted(shown, 'Zweig', 'Zweige'),
  start: { from: 'Anfang', to: 'Ankunft' },
  after: shown => `Schritt ${shown}`,
  before: shown => `${shown} davor`,
  other: 'Andere',
  end: { from: 'Besuch endete', to: 'Besuch begann' },
  none: 'Kein Besuch mit diesem Wert im Zeitraum',
  nodeText: (name, visits, percent) => `${name}: ${visits}, ${percent}`,
  asList: 'Wege, als Liste',
  help: 'Ein Klick auf einen Wert verfolgt ihn.',
}
