import type { Dictionary } from '../languages/en.ts'

export const period: Dictionary['period'] = {
  label: 'Zeitraum',
  presets: {
    today: 'Heute',
    yesterday: 'Gestern',
    last_24_hours: 'Letzte 24 Stunden',
    last_7_days: 'Letzte 7 Tage',
    last_30_days: 'Letzte 30 Tage',
    this_month: 'Dieser Monat',
    last_month: 'Letzter Monat',
    year_to_date: 'Dieses Jahr',
    last_12_months: 'Letzte 12 Monate',
    all: 'Gesamte Zeit',
  },
  custom: 'Tage wählen …',
  compare: 'Vergleichen mit',
  comparisons: {
    previous: 'Zeitraum davor',
    previous_year: 'Ein Jahr davor',
    custom: 'Tage wählen …',
    none: 'Nichts',
  },
  versus: {
    previous: 'zum Zeitraum davor',
    previous_year: 'zum Vorjahr',
    custom: days => `zu ${days}`,
  },
  matchWeekday: 'Wochentage angleichen',
  groups: { hour: 'Stunden', day: 'Tage', week: 'Wochen', month: 'Monate' },
  group: 'Anzeigen in',
  earlier: 'Früher',
  later: 'Später',
}
