import { PageHeader } from "@/components/ui/page-header";

export default function JobPage() {
  return <PageHeader title="Job" />;
}
