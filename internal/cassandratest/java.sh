# Prints the path of a Java that runs Cassandra 5.0, which is 17 or 21 (see java.go), or fails and
# says what there is instead: that of JAVA_HOME, of the PATH, or of where systems install them.
# BROADSHEET_JVMS names other folders than those, for tests. It runs no program but Java.
found=
for java in "${JAVA_HOME:+$JAVA_HOME/bin/java}" "$(command -v java)" ${BROADSHEET_JVMS-\
  /usr/lib/jvm/*/bin/java \
  /Library/Java/JavaVirtualMachines/*/Contents/Home/bin/java \
  /opt/homebrew/opt/openjdk@*/bin/java /usr/local/opt/openjdk@*/bin/java}
do
  [ -x "$java" ] || continue
  version=$("$java" -version 2>&1)
  case $version in
  *'version "17'[.\"]* | *'version "21'[.\"]*) echo "$java"; exit ;;
  esac
  : "${found:=$java is ${version%%
*}}"
done
echo "${found:-no Java in JAVA_HOME, on the PATH or where systems install it}" >&2
exit 1
