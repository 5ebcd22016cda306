import type { Dictionary } from '../languages/en.ts'

export const channels: Dictionary['channels'] = {
  'Cross-network': 'Netzwerkübergreifend',
  'Paid Shopping': 'Bezahltes Shopping',
  'Paid Search': 'Bezahlte Suche',
  'Paid Social': 'Bezahlte soziale Medien',
  'Paid Video': 'Bezahltes Video',
  Display: 'Display',
  'Paid Other': 'Andere bezahlte',
  'Organic Shopping': 'Shopping',
  'Organic Social': 'Soziale Medien',
  'Organic Video': 'Video',
  'AI Assistants': 'KI-Assistenten',
  'Organic Search': 'Suche',
  Email: 'E-Mail',
  Affiliates: 'Affiliates',
  Audio: 'Audio',
  SMS: 'SMS',
  'Mobile Push Notifications': 'Push-Nachrichten',
  Referral: 'Verweis',
  Direct: 'Direkt',
}
