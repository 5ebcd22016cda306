import type { AlertTexts } from './alert-texts.ts'

const METRICS = { visitors: 'Besucher', pageviews: 'Seitenaufrufe' }

export const de: AlertTexts = {
  sentences: {
    traffic_spike: ({ metric }, { value, bound }, { decimal }) =>
      `${decimal(value)} ${METRICS[metric]} in der letzten Stunde; mehr als ${decimal(bound)} sind zu dieser Zeit der Woche ungewöhnlich.`,
    traffic_drop: ({ metric }, { value, bound }, { decimal }) =>
      `${decimal(value)} ${METRICS[metric]} in der letzten Stunde; ${decimal(bound)} oder weniger sind zu dieser Zeit der Woche ungewöhnlich.`,
    error_rate: (_, { value, bound }, { decimal }) =>
      `${decimal(value)} Fehler je 100 Seitenaufrufe in der letzten Stunde; die Grenze ist ${decimal(bound)}.`,
    error_count: (_, { value, bound }, { decimal }) =>
      `${decimal(value)} Fehler in der letzten Stunde; die Grenze ist ${decimal(bound)}.`,
    goal: ({ hours, operator }, { value, bound, goalName }, { decimal }) =>
      `Conversions des Ziels „${goalName}“ in den letzten ${hours} h: ${decimal(value)}; die Warnung gilt für ${operator === 'above' ? 'mehr' : 'weniger'} als ${decimal(bound)}.`,
    mrr_churn: ({ unit, days }, { value, bound }, { decimal, money }) => {
      const shown = unit === 'amount' ? money : (percent: number) => `${decimal(percent)} %`
      return `Verlorener MRR in den letzten ${days === 1 ? '24 Stunden' : '7 Tagen'}: ${shown(value)}; die Grenze ist ${shown(bound)}.`
    },
    no_hits: (_, { value, bound }, { decimal }) =>
      `Kein Besuch seit ${decimal(value)} h; die Grenze ist ${decimal(bound)} h.`,
  },
  subjects: { opened: 'Warnung', resolved: 'Vorbei', test: 'Test' },
  test: 'Dies ist ein Test.',
  opened: (name, domain, sentence) => `Die Warnung „${name}“ von ${domain}: ${sentence}`,
  since: time => `Zeit: ${time}`,
  over: (name, domain) => `Die Warnung „${name}“ von ${domain} ist vorbei.`,
  reasons: {
    goal_deleted: 'Ihr Ziel wurde gelöscht, deshalb wird sie nicht mehr geprüft.',
    too_little_data: 'Eine Woche lang gab es zu wenige Daten, um sie zu prüfen.',
  },
  lasted: (span, from, to) => `Sie dauerte ${span}, von ${from} bis ${to}.`,
  began: sentence => `Sie begann so: ${sentence}`,
  open: 'Website öffnen',
}
