import { Empty } from '../../parts/states.tsx'

export default function Events() {
  return <Empty />
}
