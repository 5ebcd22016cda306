import type { Dictionary } from '../languages/en.ts'

export const retention: Dictionary['retention'] = {
  title: 'Wiederkehr',
  note: 'Personen nach ihrem Beginn, und wie viele wiederkamen',
  cohort: 'Begannen mit',
  cohorts: { first_visit: 'Erstem Besuch', goal: 'Einem Ziel', payment: 'Erster Zahlung' },
  goal: 'Ziel',
  noGoals: 'Es gibt noch kein Ziel.',
  period: 'Je',
  periods: { day: 'Tag', week: 'Woche', month: 'Monat' },
  measure: 'Gezählt',
  measures: { visitors: 'Kamen wieder', payers: 'Zahlten wieder', mrr: 'MRR blieb' },
  show: 'Zellen zeigen',
  shows: { rate: 'Prozent', value: 'Zahlen' },
  began: { day: 'Tag', week: 'Woche ab', month: 'Monat' },
  size: { visitors: 'Personen', payers: 'Kunden', mrr: 'Kunden' },
  base: 'MRR',
  average: 'Alle',
  cell: (period, value, rate) => `${period} später: ${value}, ${rate}`,
  open: 'Dieser Zeitraum ist noch nicht zu Ende.',
  leftOut: shown =>
    `${shown} Besucher sind ausgelassen: Nichts würde sie an einem anderen Tag wiedererkennen.`,
  unavailable: 'Wiederkehr lässt sich hier nicht zählen',
  unavailableText:
    'Keine Person, die in diesem Zeitraum begann, wird an einem anderen Tag wiedererkannt: Der Modus ist ohne Cookies, und Aufrufe tragen weder eine Besucher- noch eine Nutzerkennung.',
  unavailableHint:
    'Benennen Sie angemeldete Nutzer, oder schalten Sie in den Einstellungen der Website den Modus mit Cookie ein. Zahlungen haben ihren Kunden, diese Gruppen gehen also immer.',
  settings: 'Einstellungen der Website',
  byPayment: 'Zahlungen zeigen',
}
