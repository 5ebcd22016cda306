import type { Audit } from '../../src/access/audit/audit.ts'

/** For calls of the domain without a caller. */
export const unaudited: Audit = async () => {}
