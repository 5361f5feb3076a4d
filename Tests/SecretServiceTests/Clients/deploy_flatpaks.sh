#!/usr/bin/env bash
# Deploys apps for all users with the real flatpak, over a runtime of a few MB that is made of this machine's libraries:
# deploy_flatpaks.sh FOLDER TOOLS ID PLIST [ID PLIST]...
set -euo pipefail

folder=$1 tools=$2
shift 2
mkdir -p "$folder" && cd "$folder"
architecture=$(flatpak --default-arch)
platform=org.example.Platform/$architecture/1
mkdir -p runtime/usr/lib runtime/usr/lib64 runtime/usr/bin runtime/files runtime/var
printf '[Runtime]\nname=org.example.Platform\nruntime=%s\nsdk=%s\n' "$platform" "$platform" >runtime/metadata
ldd "$tools/sandboxed_app" | grep -o '/[^ ]*' | grep -v "$tools" | sort -u | while IFS= read -r library; do
  case $library in
    */ld-linux*) cp -L "$library" runtime/usr/lib64/ ;;
  esac
  cp -L "$library" runtime/usr/lib/
done
ostree init --mode=archive-z2 --repo=repository
flatpak build-export --runtime repository runtime 1
while (($#)); do
  mkdir -p "$1"/files/{bin,lib,share/coffer/apps} "$1/export"
  printf '[Application]\nname=%s\nruntime=%s\nsdk=%s\ncommand=sandboxed_app\n\n[Session Bus Policy]\norg.coffer.Vault1=talk\n' \
    "$1" "$platform" "$platform" >"$1/metadata"
  cp "$tools/sandboxed_app" "$1/files/bin/"
  cp "$tools/libcoffer.so.0" "$1/files/lib/"
  cp "$2" "$1/files/share/coffer/apps/$1.entitlements"
  flatpak build-export repository "$1" 1
  apps+=("$1")
  shift 2
done
flatpak --system remote-add --no-gpg-verify local "file://$folder/repository"
flatpak --system install -y --noninteractive local "${apps[@]}"
