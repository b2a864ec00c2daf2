// Judges statements with dbhub's own classifier, found in the built files of the package given.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const dist = process.argv[2];
const named = readdirSync(dist).filter((file) => /^chunk-.*\.js$/.test(file));
const file = named.find((each) => /export \{[^}]*\bisReadOnlySQL\b/.test(readFileSync(join(dist, each), "utf8")));
const { isReadOnlySQL } = await import(pathToFileURL(join(dist, file)).href);
const statements = JSON.parse(readFileSync(0, "utf8"));
const verdicts = statements.map((sql) => {
  try {
    return isReadOnlySQL(sql, "sqlserver");
  } catch {
    return false;
  }
});
process.stdout.write(JSON.stringify(verdicts));
