import type { Dictionary } from '../languages/en.ts'
import { counted } from '../plural.ts'

export const alerts: Dictionary['alerts'] = {
  hint: 'Alle fünf Minuten geprüft. Eine Nachricht, wenn etwas beginnt, eine, wenn es vorbei ist.',
  none: 'Noch keine Warnung',
  add: 'Neue Warnung',
  edit: 'Warnung ändern',
  name: 'Name',
  kind: 'Wann',
  kinds: {
    traffic_spike: 'Mehr Besuch als gewöhnlich',
    traffic_drop: 'Weniger Besuch als gewöhnlich',
    no_hits: 'Gar keine Besuche',
    error_rate: 'Fehler je 100 Seitenaufrufe',
    error_count: 'Fehler in einer Stunde',
    goal: 'Ein Ziel',
    mrr_churn: 'Verlorener MRR',
  },
  kindHints: {
    traffic_spike: 'Die letzte Stunde gegen den Median derselben Stunde in den letzten vier Wochen.',
    traffic_drop: 'Die letzte Stunde gegen den Median derselben Stunde in den letzten vier Wochen.',
    no_hits: 'Seit einigen Stunden kein Seitenaufruf und kein Ereignis.',
    error_rate: 'In der letzten Stunde.',
    error_count: 'In der letzten Stunde.',
    goal: '„Häufiger als 0 Mal“ gilt ab der ersten Conversion. Die nächste Nachricht kommt erst, wenn die Stunden ohne eine vergangen sind.',
    mrr_churn: 'MRR von Abonnements, die endeten oder günstiger wurden.',
  },
  metric: 'Was gezählt wird',
  metrics: { visitors: 'Besucher', pageviews: 'Seitenaufrufe' },
  percents: {
    traffic_spike: 'Prozent mehr als gewöhnlich',
    traffic_drop: 'Prozent weniger als gewöhnlich',
    error_rate: 'Fehler je 100 Seitenaufrufe',
  },
  counts: { error_count: 'Fehler', goal: 'Mal' },
  hours: { goal: 'In wie vielen Stunden', no_hits: 'Nach wie vielen Stunden' },
  numbers: { minimum: 'Nur bei mindestens so viel Besuch in der Stunde', value: 'Grenze, in Prozent' },
  amountIn: currency => `Grenze, in ${currency}`,
  goal: 'Ziel',
  chooseGoal: 'Wählen Sie ein Ziel',
  operator: 'Erreicht',
  operators: { above: 'Häufiger als', below: 'Seltener als' },
  unit: 'Gemessen in',
  units: { percent: 'Prozent des MRR', amount: 'Betrag' },
  days: 'Innerhalb von',
  oneDay: '24 Stunden',
  oneWeek: '7 Tagen',
  emails: 'E-Mail an',
  emailsHint:
    'Eine Adresse je Zeile, höchstens zehn. Eine Adresse, die keine bestätigte Ihres Teams ist, wird zuerst mit einer Mail gefragt.',
  addressWith: (address, state) => `${address} (${state})`,
  addressStates: {
    waiting: 'wartet auf Zustimmung',
    unsubscribed: 'hat abbestellt',
    no_access: 'hat keinen Zugang zur Website mehr',
  },
  webhooks: 'Webhooks',
  webhookCount: count => counted(String(count), 'Webhook', 'Webhooks'),
  sendsNothing: 'Sendet keine Nachricht',
  off: 'Ausgeschaltet',
  openSince: time => `Offen seit ${time}`,
  fromTo: (from, to) => `${from} – ${to}`,
  test: 'Test senden',
  tested: 'Der Test ist unterwegs.',
  turnOff: 'Ausschalten',
  turnOn: 'Einschalten',
  delete: 'Warnung löschen',
  deleteQuestion: name => `„${name}“ wird nicht mehr geprüft. Ihre Vorfälle bleiben in der Liste.`,
  incidents: 'Vorfälle',
  noIncidents: 'Noch kein Vorfall',
  resolutions: {
    normal: 'wieder normal',
    goal_deleted: 'das Ziel wurde gelöscht',
    too_little_data: 'eine Woche lang zu wenige Daten',
    changed: 'die Warnung wurde geändert, ausgeschaltet oder gelöscht',
  },
  counted: { visitors: 'Besucher', pageviews: 'Seitenaufrufe' },
  sentences: {
    traffic_spike: (counted, value, bound) =>
      `${value} ${counted} in der letzten Stunde; mehr als ${bound} sind zu dieser Zeit der Woche ungewöhnlich.`,
    traffic_drop: (counted, value, bound) =>
      `${value} ${counted} in der letzten Stunde; ${bound} oder weniger sind zu dieser Zeit der Woche ungewöhnlich.`,
    error_rate: (value, bound) =>
      `${value} Fehler je 100 Seitenaufrufe in der letzten Stunde; die Grenze ist ${bound}.`,
    error_count: (value, bound) => `${value} Fehler in der letzten Stunde; die Grenze ist ${bound}.`,
    goal: {
      above: (goal, hours, value, bound) =>
        `Conversions des Ziels „${goal}“ in den letzten ${hours} h: ${value}; die Warnung gilt für mehr als ${bound}.`,
      below: (goal, hours, value, bound) =>
        `Conversions des Ziels „${goal}“ in den letzten ${hours} h: ${value}; die Warnung gilt für weniger als ${bound}.`,
    },
    mrr_churn: {
      1: (value, bound) => `Verlorener MRR in den letzten 24 Stunden: ${value}; die Grenze ist ${bound}.`,
      7: (value, bound) => `Verlorener MRR in den letzten 7 Tagen: ${value}; die Grenze ist ${bound}.`,
    },
    no_hits: (value, bound) => `Kein Besuch seit ${value} h; die Grenze ist ${bound} h.`,
  },
}
