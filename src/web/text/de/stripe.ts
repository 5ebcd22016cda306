import type { Dictionary } from '../languages/en.ts'

export const stripe: Dictionary['stripe'] = {
  title: 'Stripe verbinden',
  lead: 'Zahlungen und Abonnements kommen von selbst, mit dem Kanal, der jeden Kunden gebracht hat.',
  notYou: 'Inhaber und Administratoren des Teams verbinden Stripe.',
  endpoint: 'Legen Sie einen Webhook-Endpunkt an',
  endpointHint: 'In Stripe: Entwickler → Webhooks → Ziel hinzufügen, mit dieser Adresse:',
  endpointUrl: 'Adresse des Endpunkts',
  events: 'Wählen Sie seine Ereignisse',
  eventsHint: 'Diese, oder einfach alle: Andere werden nicht beachtet.',
  key: 'Legen Sie auf Wunsch einen eingeschränkten Schlüssel an',
  keyHint:
    'Mit einem Schlüssel liest der Dienst Ihre früheren Zahlungen und Abonnements und sieht nach, was in Ereignissen von Stripe fehlt. In Stripe: Entwickler → API-Schlüssel → Eingeschränkten Schlüssel erstellen, mit:',
  mayRead: resource => `${resource}: Lesen`,
  secrets: 'Fügen Sie die Geheimnisse ein',
  signingSecret: 'Signaturgeheimnis des Endpunkts',
  signingSecretHint:
    'Stripe zeigt es beim Endpunkt. Es wird verschlüsselt aufbewahrt und nie wieder gezeigt.',
  apiKey: 'Eingeschränkter Schlüssel',
  apiKeyHint: 'Darf leer sein. Ein früher gegebener Schlüssel wird dann vergessen.',
  connect: 'Verbinden',
  connected: time => `Verbunden seit ${time}`,
  connectedHint: 'Stripe sendet seine Ereignisse hierher. Jede neue Zahlung ist in Sekunden zu sehen.',
  toMoney: 'Zur Umsatzseite',
  change: 'Geheimnisse ändern',
  disconnect: 'Trennen',
  disconnectQuestion: 'Von da an wird kein Ereignis von Stripe gelesen. Was aufgezeichnet ist, bleibt.',
  past: 'Frühere Zahlungen',
  pastHint:
    'Was Ihr Konto seit dem ersten Tag hatte, gelesen mit dem eingeschränkten Schlüssel. Nichts wird doppelt gezählt.',
  importPast: 'Vergangenheit übernehmen',
  importAgain: 'Noch einmal übernehmen',
  importRuns: {
    reading: 'Wird aus Stripe gelesen …',
    deriving: 'Zahlungen und MRR werden berechnet …',
  },
  importFinished: time => `Übernommen am ${time}`,
  importFailed: 'Die Übernahme ist stehen geblieben',
  read: {
    customers: 'Kunden',
    subscriptions: 'Abonnements',
    invoices: 'Rechnungen',
    charges: 'Abbuchungen',
    payments: currency => `Zahlungen in ${currency}`,
  },
  unreadable: shown => `Nicht lesbare Objekte: ${shown}`,
}
