/** Addresses of the web interface, in the syntax of Express; which page each shows is in src/web/app/routes.tsx. */
export const PAGE_PATHS = [
  '/',
  '/login',
  '/setup',
  '/reset',
  '/invite',
  '/new',
  '/sites/:site{/*rest}',
  '/share/:site{/*rest}',
  '/team{/:part}',
  '/account{/:part}',
] as const

/** The same pages as those of a share, for frames of other sites. */
export const FRAME_PATH = '/embed/:site{/*rest}'
