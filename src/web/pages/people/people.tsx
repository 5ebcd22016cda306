import { Empty } from '../../parts/states.tsx'

export default function People() {
  return <Empty />
}
