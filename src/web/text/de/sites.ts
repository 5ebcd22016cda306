import type { Dictionary } from '../languages/en.ts'

export const sites: Dictionary['sites'] = {
  title: 'Websites',
  search: 'Suchen',
  now: shown => `${shown} jetzt`,
  waiting: 'wartet auf den ersten Besuch',
  visitors: 'Besucher',
  create: 'Neue Website',
  none: 'Noch keine Website',
  noneHint: 'Legen Sie die erste an; in zwei Minuten ist ihr erster Besuch zu sehen.',
  noMatch: 'Keine Website hat das in ihrer Domain.',
  noTeam: 'Sie gehören zu keinem Team',
  noTeamHint: 'Bitten Sie um eine Einladung, oder legen Sie ein eigenes Team an.',
  periods: { '24h': 'Letzte 24 Stunden', '7d': 'Letzte 7 Tage', '30d': 'Letzte 30 Tage' },
  pin: domain => `${domain} anheften`,
  unpin: domain => `${domain} lösen`,
  sorts: {
    most_visitors: 'Meiste Besucher',
    fewest_visitors: 'Wenigste Besucher',
    domain_asc: 'Domain A–Z',
    domain_desc: 'Domain Z–A',
  },
}
