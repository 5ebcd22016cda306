/** Parts of the settings in the order of their list, with who may see each: everybody of the team, those who may change, or managers. */
export const PARTS = [
  { name: 'general', needs: 'member' },
  { name: 'tracking', needs: 'member' },
  { name: 'sharing', needs: 'change' },
  { name: 'reports', needs: 'manage' },
  { name: 'segments', needs: 'member' },
  { name: 'notes', needs: 'member' },
  { name: 'alerts', needs: 'manage' },
  { name: 'webhooks', needs: 'manage' },
  { name: 'import', needs: 'manage' },
  { name: 'export', needs: 'manage' },
  { name: 'data', needs: 'member' },
  { name: 'danger', needs: 'manage' },
] as const

export type PartName = (typeof PARTS)[number]['name']
