import { Empty } from '../../parts/states.tsx'

export default function Reset() {
  return <Empty />
}
