import type { Dictionary } from '../languages/en.ts'

export const exports: Dictionary['exports'] = {
  hits: 'Aufrufe',
  hitsHint:
    'Jeder Seitenaufruf, jedes Ereignis und die aktive Zeit mit ihrem Besuch, wie sie gespeichert sind.',
  from: 'Von',
  to: 'Bis',
  daysHint: 'Ohne Tage: alles.',
  format: 'Format',
  formats: {
    jsonl: 'JSON-Zeilen, die ein Import zurückbringt',
    csv: 'CSV, für Tabellen',
    parquet: 'Parquet, für DuckDB und andere',
  },
  personal:
    'Die Datei enthält personenbezogene Daten: Kennungen von Besuchern und Nutzern, Orte, Eigenschaften. Das Protokoll vermerkt jeden Export.',
  download: 'Herunterladen',
  rest: 'Alles andere',
  restHint: 'Ein JSON-Objekt je Zeile, mit allem, was gespeichert ist.',
  kinds: {
    settings: 'Einstellungen',
    goals: 'Ziele',
    funnels: 'Trichter',
    segments: 'Segmente',
    annotations: 'Notizen',
    payments: 'Zahlungen',
    movements: 'Änderungen des MRR',
    subscriptions: 'Abonnements',
    'service-events': 'Ereignisse von Zahlungen und Abonnements',
    identities: 'Nutzer',
  },
  large: 'Auf dem Server',
  largeHint: 'Für Millionen Aufrufe: Der Befehl schreibt die Datei dort.',
}
