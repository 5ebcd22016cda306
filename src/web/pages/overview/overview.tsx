import { Empty } from '../../parts/states.tsx'

export default function Overview() {
  return <Empty />
}
