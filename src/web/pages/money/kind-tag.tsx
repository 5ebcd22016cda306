import { useText } from '../../text/text.tsx'
import type { MrrChange } from './change-card.tsx'
import { Tag } from './tag.tsx'

/** What happened to the MRR of a customer. */
export function KindTag({ kind }: Pick<MrrChange, 'kind'>) {
  const { kinds } = useText().money
  return <Tag tone={kind === 'contraction' || kind === 'churn' ? 'bad' : 'good'}>{kinds[kind]}</Tag>
}
