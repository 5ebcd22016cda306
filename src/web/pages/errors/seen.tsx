import { Moment } from '../../visits/moment.tsx'

/** When an error occurred first or last; readers of a share with filters are not told. */
export const Seen = ({ at }: { at: string | null }) => (at === null ? '–' : <Moment at={at} />)
