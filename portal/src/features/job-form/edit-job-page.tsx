import { PageHeader } from "@/components/ui/page-header";

export default function EditJobPage() {
  return <PageHeader title="Edit job" />;
}
