/** Addresses of the web interface, in the syntax of Express; which page each shows is in src/web/app/routes.tsx. */
export const PAGE_PATHS = [
  '/',
  '/login',
  '/setup',
  '/reset',
  '/confirm-address',
  '/invite',
  '/new',
  '/sites/:site{/*rest}',
  '/share/:site{/*rest}',
  '/team{/:part}',
  '/account{/:part}',
  '/mail/confirm/:token',
] as const

/** The same pages as those of a share, for frames of other sites. */
export const FRAME_PATH = '/embed/:site{/*rest}'

/** The page, and what mail programs send there to unsubscribe at once (RFC 8058). */
export const UNSUBSCRIBE_PATH = '/mail/unsubscribe/:token'

/** The page of the frame that plays recordings. */
export const REPLAY_FRAME_PATH = '/web/replay-frame'
