import { Empty } from '../../parts/states.tsx'

export default function Shared() {
  return <Empty />
}
