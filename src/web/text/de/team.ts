import type { Dictionary } from '../languages/en.ts'

export const team: Dictionary['team'] = {
  roles: { owner: 'Eigentümer', admin: 'Admin', member: 'Mitglied', viewer: 'Betrachter' },
  roleHints: {
    owner: 'Alles, auch das Team selbst.',
    admin: 'Websites, Personen, Tokens und Zahlungen.',
    member: 'Sieht die Websites und ändert Ziele und Einstellungen.',
    viewer: 'Sieht die Websites und ändert nichts.',
  },
}
