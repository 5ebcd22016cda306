import type { Dictionary } from '../languages/en.ts'

export const team: Dictionary['team'] = {
  newTeam: 'Neues Team',
  newTeamHint: 'Sie werden sein Eigentümer. Es hat eigene Websites, Personen und Tokens.',
  create: 'Team anlegen',
  name: 'Name des Teams',
  roles: { owner: 'Eigentümer', admin: 'Admin', member: 'Mitglied', viewer: 'Betrachter' },
  roleHints: {
    owner: 'Alles, auch das Team selbst.',
    admin: 'Websites, Personen, Tokens und Zahlungen.',
    member: 'Sieht die Websites und ändert Ziele und Einstellungen.',
    viewer: 'Sieht die Websites und ändert nichts.',
  },
}
