import { Empty } from '../../parts/states.tsx'

export default function Goals() {
  return <Empty />
}
