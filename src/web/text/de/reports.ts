import type { Dictionary } from '../languages/en.ts'

export const reports: Dictionary['reports'] = {
  title: 'Berichte per Mail',
  hint: 'Eine Mail mit den Zahlen jedes Tages, jeder Woche oder jedes Monats. Jede Adresse kann sie bekommen, wenn ihr Inhaber zustimmt.',
  add: 'Adresse hinzufügen',
  edit: 'Ändern, was gesendet wird',
  preview: 'Vorschau',
  none: 'Noch wird kein Bericht gesendet',
  noMail: 'Dieser Dienst sendet keine Mails: Der Betreiber muss SMTP_URL setzen.',
  paused: 'Es wird nichts gesendet, solange das Team keinen aktiven Tarif hat.',
  full: most => `Die Website hat ${most} Adressen, mehr sind nicht möglich.`,

  address: 'E-Mail-Adresse',
  addressHint: 'Eine Adresse, die keine bestätigte Ihres Teams ist, wird zuerst durch eine Mail gefragt.',
  frequencies: 'Wie oft',
  frequency: { daily: 'Täglich', weekly: 'Wöchentlich', monthly: 'Monatlich' },
  chooseOne: 'Wählen Sie mindestens eines.',
  hour: 'Gesendet ab',
  hourHint: zone => `Uhrzeit der Website: ${zone}. Wöchentlich am Montag, monatlich am 1.`,
  language: 'Sprache',
  shows: 'Was er neben den Besuchen zeigt',
  sections: {
    sources: 'Quellen',
    pages: 'Seiten',
    locations: 'Länder',
    goals: 'Ziele',
    revenue: 'Umsatz und MRR',
  },
  skipsEmpty: 'Über einen Zeitraum ohne Besuche nichts senden',

  states: {
    waiting: 'die Zustimmung steht noch aus',
    confirmed: 'bekommt Berichte',
    unsubscribed: 'hat abbestellt',
    no_access: 'erreicht die Website nicht mehr',
  },
  kinds: {
    daily: 'Tagesbericht',
    weekly: 'Wochenbericht',
    monthly: 'Monatsbericht',
    confirmation: 'Frage nach der Zustimmung',
  },
  asked: ago => `gefragt ${ago}`,
  addedBy: who => `hinzugefügt von ${who}`,
  sent: (kind, days, ago) => `${kind} ${days}: gesendet ${ago}`,
  neverSent: 'noch nichts gesendet',
  problems: {
    unreachable: 'der Mailserver ist nicht erreichbar',
    refused: 'der Mailserver hat die Mail nicht angenommen',
    rejected: 'der Mailserver lehnt diese Mail oder Adresse ab',
    uncertain:
      'die Verbindung brach ab, vielleicht kam die Mail nicht an; sie wird nicht noch einmal gesendet',
    unavailable: 'die Zahlen konnten nicht gelesen werden',
  },
  problem: (kind, days, why) => `${kind} ${days} nicht gesendet: ${why}.`,
  nextTry: ago => `Nächster Versuch ${ago}.`,
  noMoreTry: 'Es wird nicht noch einmal versucht.',
  test: 'Probe senden',
  tested: 'Gesendet',
  remove: 'Entfernen',
  removeTitle: 'Keine Berichte mehr senden?',
  removeQuestion: address =>
    `${address} bekommt keine Berichte über diese Website mehr. Warnungen, die sie nennen, bleiben unverändert.`,

  subject: 'Betreff',
  asMail: 'Mail',
  asText: 'Text',
  frame: 'So sieht die Mail aus',

  confirmTitle: 'Mails über eine Website',
  confirmIntro: domain =>
    `Möchten Sie Mails über ${domain}: Berichte mit ihren Zahlen und Warnungen, wenn etwas ungewöhnlich ist?`,
  confirmButton: 'Ja, senden',
  confirmed: domain => `Sie bekommen Mails über ${domain}. Jede hat einen Link zum Abbestellen.`,
  unsubscribeTitle: 'Abbestellen',
  unsubscribeIntro: (address, domain) =>
    `${address} bekommt dann keine Mails über ${domain} mehr, weder Berichte noch Warnungen.`,
  unsubscribeButton: 'Abbestellen',
  unsubscribed: (address, domain) => `${address} bekommt keine Mails über ${domain}.`,
  linkGone: 'Der Link funktioniert nicht: Er ist unvollständig, oder es gibt nicht mehr, wofür er war.',
}
